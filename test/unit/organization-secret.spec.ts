import { randomUUID } from 'node:crypto';
import {
  hashOrganizationSecret,
  newOrganizationSecret,
  organizationOf,
} from '../../src/common/access/organization-secret.js';
import { newId } from '../../src/common/new-id.js';

describe('a secret that names its organization', () => {
  it.each([randomUUID(), newId(), '00000000-0000-0000-0000-000000000000'])('names %s', (orgId) => {
    expect(organizationOf(newOrganizationSecret(orgId))).toBe(orgId);
  });

  it('has 64 characters that need no escaping, and is never the same', () => {
    const orgId = newId();
    const secrets = new Set(Array.from({ length: 100 }, () => newOrganizationSecret(orgId)));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{64}$/);
  });

  it.each(['', 'x', 'x'.repeat(63), 'x'.repeat(65), '!'.repeat(64), 'A'.repeat(63) + '=', 'eHh4'.repeat(16)])(
    'is not "%s"',
    (value) => {
      expect(organizationOf(value)).toBeNull();
    },
  );

  it('is stored as a hash of 32 bytes', () => {
    expect(hashOrganizationSecret(newOrganizationSecret(newId()))).toHaveLength(32);
  });
});
