import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';
import { statusWithin } from '../support/within.js';

const users = '/api/v0/organization/users';
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const deactivate = (by: GivenUser, id: string) => app.as(by).delete(`${users}/${id}`);

describe('deactivating a user', () => {
  it('is 204, also when it is repeated', async () => {
    const user = await app.given.user(org);
    const first = await deactivate(org.owner, user.id);
    const second = await deactivate(org.owner, user.id);
    expect([first.status, second.status]).toEqual([204, 204]);
  });

  it('kills their keys within a second', async () => {
    const user = await app.given.user(org);
    await app.as(user).get('/api/v0/me');
    await deactivate(org.owner, user.id);
    expect(await statusWithin(1_000, 401, () => app.as(user).get('/api/v0/me'))).toBe(401);
  });

  it('takes them from the list', async () => {
    const user = await app.given.user(org);
    await deactivate(org.owner, user.id);
    const { text } = await app.as(org.owner).get(users);
    expect(text).not.toContain(user.id);
  });

  it('leaves them to be found by id', async () => {
    const user = await app.given.user(org);
    await deactivate(org.owner, user.id);
    const { body } = await app.as(org.owner).get(`${users}/${user.id}`);
    expect(body.state).toBe('deactivated');
  });

  it('of the last owner is 409', async () => {
    const { status } = await deactivate(org.owner, org.owner.id);
    expect([status, (await app.as(org.owner).get('/api/v0/me')).status]).toEqual([409, 200]);
  });

  it('of two owners by each other at the same time leaves one', async () => {
    const second = await app.given.user(org, { role: Role.Owner });
    await Promise.all([app.as(org.owner).get('/api/v0/me'), app.as(second).get('/api/v0/me')]);
    const answers = await Promise.all([deactivate(org.owner, second.id), deactivate(second, org.owner.id)]);
    const succeeded = answers.filter(({ status }) => status === 204);
    expect(succeeded).toHaveLength(1);
  });
});

describe('reactivating a user', () => {
  async function deactivatedAndBack(): Promise<GivenUser> {
    const user = await app.given.user(org);
    await deactivate(org.owner, user.id);
    await app.as(org.owner).patch(`${users}/${user.id}`, { state: 'active' });
    return user;
  }

  it('puts them on the list again', async () => {
    const user = await deactivatedAndBack();
    const { text } = await app.as(org.owner).get(users);
    expect(text).toContain(user.id);
  });

  it('leaves their old keys dead', async () => {
    const user = await deactivatedAndBack();
    const { status } = await app.as(user).get('/api/v0/me');
    expect(status).toBe(401);
  });

  it('lets a new key work', async () => {
    const user = await deactivatedAndBack();
    const { body } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'new', userId: user.id });
    const { status } = await app.withBearer(body.key).get('/api/v0/me');
    expect(status).toBe(200);
  });
});
