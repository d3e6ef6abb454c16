import createClient from 'openapi-fetch';
import type { paths } from 'openapi-types';
import { setSignedOut } from '../shell/sign-in/signed-out.js';
import { problemOf } from './problem.js';

/** Typed by openapi.json; the cookie of the console session travels by itself. */
export const api = createClient<paths>({ baseUrl: '' });

/** The body of an answer; throws a `Problem` for everything that is no success. */
export async function bodyOf<T>(
  asked: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Exclude<T, string>> {
  const { data, error, response } = await asked;
  if (response.status === 401) setSignedOut(true);
  if (!response.ok) throw problemOf(response, error);
  return data as Exclude<T, string>; // JSON is asked for; text would be CSV
}
