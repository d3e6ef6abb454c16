import { TestApp } from '../support/test-app.js';

describe('a session from beginning to end', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.stop());

  it('is created, gets messages, is read back, interrupted and deleted', async () => {
    const org = await app.given.organization();
    const api = app.as(org.owner);
    const computer = await api.post('/api/v0/computers', { name: 'laptop', remoteUser: 'ada' });
    expect(computer).toMatchObject({
      status: 201,
      body: { name: 'laptop', providerType: 'byom', status: 'provisioning' },
    });

    const settings = { model: 'model-a', autonomyMode: 'auto-low', tags: [{ name: 'x', metadata: { a: 'b' } }] };
    const created = await api.post('/api/v0/sessions', { computerId: computer.body.id, sessionSettings: settings });
    expect(created.status).toBe(201);
    expect(created.body.sessionSettings).toMatchObject({ ...settings, autonomyLevel: 'low', interactionMode: 'auto' });
    const path = `/api/v0/sessions/${created.body.sessionId}`;

    const posted = await api.post(`${path}/messages`, {
      text: 'Fix the test\nplease',
      images: [{ type: 'base64', data: 'aGk=', mediaType: 'image/png' }],
    });
    expect(posted).toMatchObject({ status: 200, body: { status: 'pending' } });

    const read = await api.get(path);
    expect(read.body).toMatchObject({ status: 'pending', messageCount: 1, title: 'Fix the test' });
    const messages = await api.get(`${path}/messages?role=user`);
    expect(messages.body.messages).toMatchObject([
      { id: posted.body.messageId, role: 'user', content: [{ type: 'text' }, { type: 'image' }] },
    ]);
    expect((await api.get(`${path}/messages/${posted.body.messageId}`)).body).toEqual(messages.body.messages[0]);

    expect(
      (await api.patch(path, { sessionSettings: { model: null, autonomyLevel: 'high' } })).body.sessionSettings,
    ).toMatchObject({ autonomyMode: 'auto-high' });
    expect((await api.post(`${path}/interrupt`)).body).toEqual({ status: 'idle' });
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
    const controls = await api.put('/api/v0/organization/enterprise-controls', {
      maxAutonomyLevel: 'low',
      customModels: [
        { id: 'custom:a', apiKey: 'sk-1234567890abcdef', baseUrl: 'https://u:secret-password@h.example/v1' },
      ],
    });
    expect(controls).toMatchObject({
      status: 200,
      body: {
        revision: 1,
        settings: { customModels: [{ apiKey: '****cdef', baseUrl: 'https://u:****word@h.example/v1' }] },
      },
    });
    const limits = await api.put('/api/v0/organization/usage/limits/users', {
      users: [
        { email: org.owner.email, limit: 5 },
        { email: 'no@x.example', limit: 1 },
      ],
    });
    expect(limits.body).toMatchObject({ updated: [{ limit: 5 }], errors: [{ email: 'no@x.example' }] });
    console.log(
      JSON.stringify(
        (await api.get('/api/v0/organization/audit-log')).body.entries.map((e: { action: string }) => e.action),
      ),
    );
  });
});
