/** From most to least privileges. */
export enum Role {
  Owner = 'owner',
  Manager = 'manager',
  Member = 'member',
  Guest = 'guest',
}

export const ALL_ROLES = Object.values(Role);
