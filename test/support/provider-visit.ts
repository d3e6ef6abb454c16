/** What a person does at the identity provider, as its development pages have it: says who they are, and consents. */
export async function visitProvider(
  address: string,
  { login, isDenied = false }: { login: string; isDenied?: boolean },
): Promise<string> {
  const { origin } = new URL(address);
  const cookies = new Map<string, string>();
  let url = address;
  let form: Record<string, string> | null = null;
  for (let step = 0; step < 20; step++) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    const text = await response.text();
    form = null;
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      if (!url.startsWith(`${origin}/`)) return url;
    } else if (isDenied && text.includes('/abort')) {
      url = `${url}/abort`;
    } else if (text.includes('value="login"')) {
      form = { prompt: 'login', login, password: 'any' };
    } else if (text.includes('value="consent"')) {
      form = { prompt: 'consent' };
    } else {
      throw new Error(`The identity provider shows something else: ${response.status} ${text.slice(0, 500)}`);
    }
  }
  throw new Error('The identity provider leads around in circles.');
}
