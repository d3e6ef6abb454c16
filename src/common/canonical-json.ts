/** JSON whose text does not depend on the order of keys. A `Map` is written like an object. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = member instanceof Map ? [...(member as Map<string, unknown>)] : Object.entries(member);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
