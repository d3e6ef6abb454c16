import { PlatformApi } from '../../../src/agent/platform-api.js';

const PATH = '/api/v0/computers/01a1de7b-1f23-72bc-b995-82ecd309680c/agent';

describe('the address of a relay', () => {
  it.each([
    ['http://127.0.0.1:3000', 'ws://127.0.0.1:3000'],
    ['http://127.0.0.1:3000/', 'ws://127.0.0.1:3000'],
    ['https://agents.example.com', 'wss://agents.example.com'],
    ['https://example.com/tools/agents/', 'wss://example.com/tools/agents'],
  ])('is on the host and below the path by which %s is reached', (url, relay) => {
    const api = new PlatformApi(url, 'key');
    expect(api.relayUrl(`ws://10.0.0.7:8080${PATH}`)).toBe(relay + PATH);
    expect(api.relayUrl(`wss://inside.example.com/prefix${PATH}`)).toBe(relay + PATH);
  });
});
