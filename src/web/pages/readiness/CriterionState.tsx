import { Badge } from '../../ui/Badge.js';
import { type Count, stateOf } from './scores.js';

const TONES = { met: 'good', partly: 'warn', missing: 'bad' } as const;

export function CriterionState({ count }: { count: Count }) {
  const state = stateOf(count);
  return (
    <Badge tone={TONES[state]}>
      {state}
      {count.denominator > 1 && ` ${count.numerator}/${count.denominator}`}
    </Badge>
  );
}
