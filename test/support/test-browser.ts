import { ApiClient, type ApiAnswer } from './api-client.js';
import type { GivenUser } from './given.js';

type Method = Parameters<ApiClient['send']>[0];
type Headers = Record<string, string>;

/** A page of the console in a browser: keeps cookies, and says where its requests come from. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  /** As the service set them, with their attributes. */
  readonly setCookies: string[] = [];
  sessionId = '';
  private readonly client: ApiClient;

  constructor(
    app: { readonly url: string },
    private readonly headers: Headers = { 'Sec-Fetch-Site': 'same-origin' },
  ) {
    this.client = new ApiClient(app.url, null);
  }

  static async signedIn(app: { readonly url: string }, user: Pick<GivenUser, 'key'>): Promise<TestBrowser> {
    const browser = new TestBrowser(app);
    const { status, text } = await browser.signIn({ apiKey: user.key });
    if (status !== 201) throw new Error(`The sign-in was refused: ${status} ${text}`);
    return browser;
  }

  async signIn(credential: { apiKey?: string; link?: string }, headers: Headers = {}): Promise<ApiAnswer> {
    const answer = await this.post('/auth/session', credential, headers);
    if (answer.status === 201) this.sessionId = answer.body.id;
    return answer;
  }

  get(path: string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('get', path, undefined, headers);
  }

  post(path: string, body?: object, headers?: Headers): Promise<ApiAnswer> {
    return this.send('post', path, body, headers);
  }

  delete(path: string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('delete', path, undefined, headers);
  }

  async send(method: Method, path: string, body?: object | string, headers: Headers = {}): Promise<ApiAnswer> {
    const cookie = this.cookieHeader;
    const all = { ...this.headers, ...(cookie === '' ? {} : { Cookie: cookie }), ...headers };
    const answer = await this.client.send(method, path, body, all);
    this.keep(answer.headers['set-cookie'] as unknown as string[] | undefined);
    return answer;
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(setCookies: string[] = []): void {
    for (const line of setCookies) {
      this.setCookies.push(line);
      const [pair = ''] = line.split(';', 1);
      const [name = '', value = ''] = pair.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
