import { InvalidRequestError } from '../errors/domain-error.js';

/** From `from` on, until before `to`; null: without such a bound. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Of a query whose `from` and `to` are valid instants. */
export function toPeriod({ from, to }: { from?: string; to?: string }): Period {
  const period = { from: from === undefined ? null : new Date(from), to: to === undefined ? null : new Date(to) };
  if (period.from && period.to && period.from >= period.to) {
    throw InvalidRequestError.ofField('to', 'must be later than from');
  }
  return period;
}
