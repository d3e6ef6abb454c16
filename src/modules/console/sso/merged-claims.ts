type Claims = Record<string, unknown>;

/**
 * The ID token counts more than what the user info endpoint says. An address and whether it is verified come from the same
 * of the two: otherwise one could vouch for an address of the other.
 */
export function mergeClaims(idToken: Claims, userInfo: Claims): Claims {
  const { email, email_verified } = Object.hasOwn(idToken, 'email') ? idToken : userInfo;
  return { ...userInfo, ...idToken, email, email_verified };
}
