import { deliver } from '../../../src/agent/relay/delivery.js';
import { RPC_ERROR, RpcError } from '../../../src/protocol/json-rpc.js';

/** A service that answers with these errors, one after the other, and takes what is said then. */
function givenService(...codes: number[]) {
  const pauses: number[] = [];
  const refused: unknown[] = [];
  let calls = 0;
  return {
    pauses,
    refused,
    calls: () => calls,
    deliver: (isConnected = true) =>
      deliver({
        call: () => {
          const code = codes[calls++];
          return code === undefined ? Promise.resolve({}) : Promise.reject(new RpcError(code, 'no'));
        },
        isConnected: () => isConnected,
        onRefused: (error) => refused.push(error),
        pause: (ms) => Promise.resolve(pauses.push(ms)),
      }),
  };
}

const { internal, unavailable, stale, invalidParams } = RPC_ERROR;

describe('what has to be said to the service', () => {
  it('is said again when the service failed at it, with growing pauses', async () => {
    const service = givenService(internal, internal, internal);
    await service.deliver();
    expect(service.refused).toEqual([]);
    expect(service.pauses).toEqual([1_000, 2_000, 4_000]);
  });

  it('is given up when the service keeps failing at it for a minute', async () => {
    const service = givenService(...Array<number>(20).fill(internal));
    await service.deliver();
    expect(service.refused).toMatchObject([{ code: internal }]);
    expect(service.calls()).toBe(8);
    expect(service.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  });

  it('is said again without end while the service is not available', async () => {
    const service = givenService(...Array<number>(500).fill(unavailable));
    await service.deliver();
    expect(service.refused).toEqual([]);
    expect(service.calls()).toBe(501);
  });

  it('is not said again when the service refuses it', async () => {
    for (const code of [stale, invalidParams]) {
      const service = givenService(code);
      await service.deliver();
      expect(service.refused).toMatchObject([{ code }]);
      expect(service.calls()).toBe(1);
    }
  });

  it('is left to the next connection when this one is gone', async () => {
    for (const code of [unavailable, internal]) {
      const service = givenService(code);
      await expect(service.deliver(false)).rejects.toMatchObject({ code });
      expect(service.refused).toEqual([]);
    }
  });
});
