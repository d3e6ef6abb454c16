import type { Principal } from '../../src/common/access/principal.js';
import { Role } from '../../src/common/access/role.enum.js';
import { ForbiddenError } from '../../src/common/errors/domain-error.js';
import type { Notifications } from '../../src/database/notifications.js';
import type { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { CredentialWatch } from '../../src/modules/organization/credentials/credential-watch.js';
import type { SignInService } from '../../src/modules/organization/credentials/sign-in.service.js';

const ADA: Principal = {
  orgId: 'org',
  userId: 'ada',
  email: null,
  role: Role.Member,
  credential: { kind: 'key', id: '1' },
  expiresAt: null,
};

/** The watch with everything around it under control. */
function setUp() {
  const handlers = new Map<string, (payload: Record<string, string>) => void>();
  const state = { isCurrent: true, reads: 0, lagMs: 0, now: new Date(0), interrupt: (): void => undefined };
  const notifications = {
    on: (topic: string, handler: (payload: Record<string, string>) => void) => handlers.set(topic, handler),
    onInterruption: (handler: () => void) => (state.interrupt = handler),
    get lagMs() {
      return state.lagMs;
    },
  };
  const signIn = {
    isCurrent: () => {
      state.reads++;
      return Promise.resolve(state.isCurrent);
    },
  };
  const watch = new CredentialWatch(
    notifications as unknown as Notifications,
    signIn as unknown as SignInService,
    { requireAllowedAddress: () => Promise.resolve() } as unknown as ControlsService,
    { now: () => state.now },
  );
  const gone: string[] = [];
  const open = (principal = ADA, requireAllowed?: () => Promise<void>) =>
    watch.watch(principal, (reason) => gone.push(reason), requireAllowed);
  const notify = (topic: string, payload: Record<string, string>) => handlers.get(topic)?.(payload);
  return { watch, state, gone, open, notify };
}

const settled = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the watch of credentials', () => {
  const { watch, state, gone, open, notify } = setUp();

  afterEach(() => {
    gone.length = 0;
    Object.assign(state, { isCurrent: true, lagMs: 0, now: new Date(0) });
  });
  afterAll(() => watch.onModuleDestroy());

  it('ends what a change concerns, once', async () => {
    open();
    open({ ...ADA, credential: { kind: 'key', id: '2' } });
    open({ ...ADA, userId: 'bob' });
    await settled();
    notify('credentials_changed', { orgId: 'org', userId: 'ada', credentialId: 'key 1' });
    expect(gone).toEqual(['The credential was revoked or has changed.']);
    notify('credentials_changed', { orgId: 'org', userId: 'ada' });
    notify('credentials_changed', { orgId: 'other', userId: 'bob' });
    expect(gone).toHaveLength(2);
    notify('credentials_changed', { orgId: 'org', userId: 'bob' });
    expect(gone).toHaveLength(3);
  });

  it('notices what changed before the watch began', async () => {
    state.isCurrent = false;
    open();
    await settled();
    expect(gone).toEqual(['The credential was revoked or has changed.']);
  });

  it('reads the tables again after an interruption, once for each credential', async () => {
    const stops = [open(), open(), open({ ...ADA, userId: 'bob' })];
    await settled();
    state.reads = 0;
    state.isCurrent = false;
    state.interrupt();
    await settled();
    expect(state.reads).toBe(2);
    expect(gone).toHaveLength(3);
    for (const stop of stops) stop();
  });

  it('polls while notifications lag, and ends what has expired', async () => {
    open();
    open({ ...ADA, userId: 'bob', expiresAt: new Date(1000) });
    await settled();
    state.now = new Date(1000);
    await settled(600);
    expect(gone).toEqual(['The credential has expired.']);
    Object.assign(state, { lagMs: 801, isCurrent: false });
    await settled(600);
    expect(gone).toEqual(['The credential has expired.', 'The credential was revoked or has changed.']);
  });

  it('ends what a policy forbids, with the words of the policy', async () => {
    let isAllowed = true;
    open(ADA, () => (isAllowed ? Promise.resolve() : Promise.reject(new ForbiddenError('Not from here.'))));
    await settled();
    isAllowed = false;
    notify('controls_changed', { orgId: 'org' });
    await settled();
    expect(gone).toEqual(['Not from here.']);
  });

  it('says nothing after it was stopped', async () => {
    open()();
    await settled();
    notify('credentials_changed', { orgId: 'org', userId: 'ada' });
    expect(gone).toEqual([]);
  });
});
