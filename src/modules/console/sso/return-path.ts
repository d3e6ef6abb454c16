const START = '/console/';
const MAX_LENGTH = 2_000;

/** Whether it is a path of the console: nobody is led to another site, nor to another part of this one. */
export function isReturnPath(to: string): boolean {
  if (to.length > MAX_LENGTH || !to.startsWith(START) || /[\\\p{Cc}]/u.test(to)) return false;
  const base = 'http://base.invalid';
  if (!URL.canParse(to, base)) return false;
  const url = new URL(to, base);
  return url.origin === base && url.pathname.startsWith(START);
}
