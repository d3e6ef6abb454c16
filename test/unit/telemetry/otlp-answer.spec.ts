import { encodeStatus, encodeSuccess } from '../../../src/modules/telemetry/otlp/otlp-answer.js';

const PARTIAL = { rejected: 300, message: 'unknown' };

describe('answers to OTLP', () => {
  it.each(['logs', 'metrics', 'traces'] as const)('are empty when all %s were taken', (signal) => {
    expect(encodeSuccess('json', signal, null).toString()).toBe('{}');
    expect(encodeSuccess('protobuf', signal, null)).toHaveLength(0);
  });

  it.each([
    ['logs', 'rejectedLogRecords'],
    ['metrics', 'rejectedDataPoints'],
    ['traces', 'rejectedSpans'],
  ] as const)('tell in JSON how many %s were rejected', (signal, field) => {
    expect(JSON.parse(encodeSuccess('json', signal, PARTIAL).toString())).toEqual({
      partialSuccess: { [field]: '300', errorMessage: 'unknown' },
    });
  });

  it.each(['logs', 'metrics', 'traces'] as const)('tell in protobuf how many %s were rejected', (signal) => {
    const message = `1207${Buffer.from('unknown').toString('hex')}`;
    expect(encodeSuccess('protobuf', signal, PARTIAL).toString('hex')).toBe(`0a0c08ac02${message}`);
    expect(encodeSuccess('protobuf', signal, { ...PARTIAL, rejected: 0 }).toString('hex')).toBe(`0a09${message}`);
  });

  it('tell what was wrong', () => {
    expect(JSON.parse(encodeStatus('json', 3, 'wröng').toString())).toEqual({ code: 3, message: 'wröng' });
    expect(encodeStatus('protobuf', 3, 'wröng').toString('hex')).toBe(
      `08031206${Buffer.from('wröng').toString('hex')}`,
    );
    expect(encodeStatus('protobuf', 0, '')).toHaveLength(0);
  });
});
