/** The part of the address that is this page's own: the computer that is managed, and the one that is being connected. */
export interface ComputersSearch {
  readonly computer?: string | undefined;
  /** `new`, or the id of a computer that was registered. */
  readonly connect?: string | undefined;
}

export function readComputersSearch(raw: Record<string, unknown>): ComputersSearch {
  return {
    ...(typeof raw.computer === 'string' ? { computer: raw.computer } : {}),
    ...(typeof raw.connect === 'string' ? { connect: raw.connect } : {}),
  };
}
