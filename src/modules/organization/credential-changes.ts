/** The wake-up after a change that decides whether a credential works or what it may do: `{orgId, userId}`. */
export const CREDENTIALS_CHANGED = 'credentials_changed';
