/** What a user may do in their organization, from most to least. */
export enum Role {
  Owner = 'owner',
  Manager = 'manager',
  Member = 'member',
  Guest = 'guest',
}

export const ALL_ROLES = Object.values(Role);
