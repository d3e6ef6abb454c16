/** What somebody may do with a computer; the service decides, this only leaves out what it would refuse. */
export interface Rights {
  readonly isMine: boolean;
  readonly isOwner: boolean;
  readonly canChange: boolean;
  readonly canShare: boolean;
}

export function rightsOn(
  { registeredBy }: { registeredBy: string },
  { role, userId }: { role: string; userId: string },
): Rights {
  const isMine = registeredBy === userId;
  const isOwner = role === 'owner';
  return { isMine, isOwner, canChange: isMine || isOwner || role === 'manager', canShare: isMine || isOwner };
}
