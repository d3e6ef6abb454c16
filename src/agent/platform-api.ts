/** The service answered with an error. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** No answer, or a temporary error; a retry may succeed. */
export class Unreachable extends Error {}

export interface Computer {
  readonly id: string;
  readonly name: string;
  readonly relayAgentUrl: string;
  readonly relayClientUrl: string;
}

export interface Me {
  readonly user: { readonly id: string; readonly email: string };
  readonly role: string;
  readonly organization: { readonly name: string };
}

const TIMEOUT_MS = 10_000;

export class PlatformApi {
  readonly url: string;

  constructor(
    url: string,
    private readonly key: string,
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  me(): Promise<Me> {
    return this.send('GET', '/api/v0/me') as Promise<Me>;
  }

  async findComputer(name: string): Promise<Computer | null> {
    try {
      return (await this.send('GET', `/api/v0/computers/name/${encodeURIComponent(name)}`)) as Computer;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  registerComputer(computer: { name: string; hostname: string; remoteUser?: string }): Promise<Computer> {
    return this.send('POST', '/api/v0/computers', computer) as Promise<Computer>;
  }

  /** Null when the service is too old to send it. */
  async registrantOf(computerId: string): Promise<string | null> {
    try {
      const access = (await this.send('GET', `/api/v0/computers/${computerId}/access`)) as { registeredBy: string };
      return access.registeredBy;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Revokes the previous token. */
  async createToken(computerId: string): Promise<string> {
    return ((await this.send('POST', `/api/v0/computers/${computerId}/token`)) as { token: string }).token;
  }

  createTelemetryKey(name: string): Promise<{ readonly id: string; readonly key: string }> {
    const body = { name, scope: 'telemetry' };
    return this.send('POST', '/api/v0/api-keys', body) as Promise<{ id: string; key: string }>;
  }

  /** Nothing happens when it is gone already. */
  async revokeKey(id: string): Promise<void> {
    await this.send('DELETE', `/api/v0/api-keys/${id}`).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
  }

  agentUrl(computerId: string): string {
    return `${this.url.replace(/^http/, 'ws')}/api/v0/computers/${computerId}/agent`;
  }

  /** On the host by which this client reaches the service. */
  relayUrl(relay: string): string {
    return this.url.replace(/^http/, 'ws') + new URL(relay).pathname.replace(/^.*(?=\/api\/v0\/computers\/)/, '');
  }

  private async send(method: string, path: string, body?: object): Promise<unknown> {
    const given = new AbortController();
    // Not AbortSignal.timeout: its timer does not keep the process alive, so that a connection lost at the wrong moment
    // would end the program without an answer.
    const timer = setTimeout(() => given.abort(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
    try {
      return await this.exchange(method, path, body, given.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  private async exchange(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
      signal,
    }).catch((error: unknown) => {
      throw new Unreachable(`${this.url} cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
    if (response.status === 204) return null;
    const answer = (await response.json().catch(() => null)) as { detail?: string } | null;
    if (response.status >= 500) throw new Unreachable(answer?.detail ?? `${this.url} answered ${response.status}`);
    if (!response.ok) throw new ApiError(response.status, answer?.detail ?? `the service answered ${response.status}`);
    if (!answer) throw new Error(`${this.url} answers, but not as the service does.`);
    return answer;
  }
}

/** The cause: the message of `fetch` itself is only that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
