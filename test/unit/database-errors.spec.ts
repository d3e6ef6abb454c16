import { isConnectionFailure, sqlState, toDomainError } from '../../src/common/errors/database-errors.js';

const failure = (code: string, message = 'write') => Object.assign(new Error(message), { code });

describe('a failure of the connection to the database', () => {
  it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED'])(
    '%s is not taken for an SQLSTATE and is told as unavailable',
    (code) => {
      const error = failure(code, 'the connection failed');
      expect(sqlState(error)).toBeNull();
      expect(isConnectionFailure(error)).toBe(true);
      expect(toDomainError(error)).toMatchObject({ code: 'unavailable' });
    },
  );

  it.each(['timeout expired', 'Connection terminated unexpectedly', 'Query read timeout'])(
    'is known by the words of the driver: "%s"',
    (message) => {
      expect(toDomainError(new Error(message))).toMatchObject({ code: 'unavailable' });
    },
  );

  it('is also a transaction that Postgres ended because it was idle for too long', () => {
    expect(toDomainError(failure('25P03'))).toMatchObject({ code: 'unavailable' });
    expect(toDomainError(failure('25006'))).toBeNull();
  });

  it.each(['EBUSY', 'EPERM', 'EACCES'])('%s is neither: a fault of ours', (code) => {
    expect(sqlState(failure(code))).toBeNull();
    expect(toDomainError(failure(code))).toBeNull();
  });
});

describe('an SQLSTATE', () => {
  it.each(['23505', '53300', '40P01', 'P0001', 'XX000', 'HV000', 'F0000'])('%s is known as such', (code) => {
    expect(sqlState(failure(code))).toBe(code);
  });
});
