import { randomBytes } from 'node:crypto';
import { contentLike } from '../support/attachments.js';
import { givenComputer, givenSession, type GivenSession } from '../support/given-session.js';
import { itLong } from '../support/long.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const MIB = 1024 * 1024;
let app: TestApp;
let computerId: string;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  const org = await app.given.organization();
  computerId = await givenComputer(app, org.owner);
  session = await givenSession(app, org.owner, computerId);
});
afterAll(() => app.stop());

const post = (body: object | string) => app.as(session.user).post(`${session.path}/messages`, body);
const ofSize = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const png = (rest = '') => contentLike('image/png', { rest });
const image = (data: string, change: object = {}) => ({ type: 'base64', data, mediaType: 'image/png', ...change });
const file = (data: string, change: object = {}) => ({ type: 'base64', data, mediaType: 'text/plain', ...change });

async function contentOf(messageId: string): Promise<object[]> {
  const { body } = await app.as(session.user).get(`${session.path}/messages/${messageId}`);
  return body.content as object[];
}

async function countMessages(): Promise<number> {
  const [row] = await query<{ count: number }>(
    app.database.url,
    `SELECT count(*)::int AS count FROM messages WHERE session_id = $1`,
    [session.id],
  );
  return row?.count ?? 0;
}

describe('an attachment', () => {
  it.each(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])('can be an image of type %s', async (mediaType) => {
    const data = contentLike(mediaType, { rest: 'hi' });
    const { status, body } = await post({ text: 'x', images: [image(data, { mediaType })] });
    expect(status).toBe(200);
    expect((await contentOf(body.messageId))[1]).toEqual({
      type: 'image',
      source: { type: 'base64', data, mediaType },
      id: expect.any(String),
    });
  });

  it.each(['application/pdf', 'text/plain', 'text/markdown', 'text/x-c++', 'text/vnd.graphviz'])(
    'can be a file of type %s',
    async (mediaType) => {
      const data = contentLike(mediaType, { rest: 'hi' });
      const source = file(data, { mediaType, parsedData: 'hi', name: 'a.txt', path: 'docs/a.txt' });
      const { status, body } = await post({ text: 'x', files: [source] });
      expect(status).toBe(200);
      expect((await contentOf(body.messageId))[1]).toEqual({ type: 'document', source, id: expect.any(String) });
    },
  );

  it('comes after the text, images before files, each in its place', async () => {
    const [first, second] = [png('a'), png('ab')];
    const images = [image(first), image(second)];
    const { body } = await post({ text: 'x', files: [file('YWJj')], images });
    const data = (await contentOf(body.messageId)).map((block) =>
      'source' in block ? (block.source as { data: string }).data : 'text',
    );
    expect(data).toEqual(['text', first, second, 'YWJj']);
  });

  it.each(['../../etc/passwd', 'C:\\x', 'x\r\nSet-Cookie: a=b', '/dev/null', '<script>', '. .', '‮gpj.exe'])(
    'keeps the name and path %j as data',
    async (name) => {
      const { status, body, headers } = await post({ text: 'x', files: [file('aGk=', { name, path: name })] });
      expect([status, headers['set-cookie']]).toEqual([200, undefined]);
      expect((await contentOf(body.messageId))[1]).toMatchObject({ source: { name, path: name } });
    },
  );

  it.each(['YQ==', 'YWI=', 'YWJj', '++//', 'AAAA'])('can be %s', async (data) => {
    expect((await post({ text: 'x', files: [file(data)] })).status).toBe(200);
  });

  const types = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'];
  it.each(types)('that begins like %s can be nothing else', async (mediaType) => {
    const data = contentLike(mediaType, { rest: 'x'.repeat(20) });
    for (const claimed of types.filter((type) => type !== mediaType)) {
      const field = claimed.startsWith('image/') ? 'images' : 'files';
      const { status, body } = await post({ text: 'x', [field]: [image(data, { mediaType: claimed })] });
      expect([status, body.errors]).toEqual([
        400,
        [{ field: `${field}.0.data`, message: `does not begin like ${claimed}` }],
      ]);
    }
  });

  it.each<[string, object, string]>([
    ['that is no base64', { images: [image('a!==')] }, 'images.0.data'],
    ['in base64 for URLs', { images: [image('-_-_')] }, 'images.0.data'],
    ['without its padding', { images: [image('YQ')] }, 'images.0.data'],
    ['with too much padding', { images: [image('Y===')] }, 'images.0.data'],
    ['with padding in the middle', { images: [image('YQ==YQ==')] }, 'images.0.data'],
    ['with bits behind the last byte', { files: [file('YR==')] }, 'files.0.data'],
    ['with bits behind the last of two bytes', { files: [file('YWJjYWJ=')] }, 'files.0.data'],
    ['that is only the beginning of a PNG', { images: [image('iVBORw==')] }, 'images.0.data'],
    ['with a line break', { images: [image('YWJj\nYWI')] }, 'images.0.data'],
    ['as a data URL', { images: [image('data:image/png;base64,YWJj')] }, 'images.0.data'],
    ['that is empty', { images: [image('')] }, 'images.0.data'],
    ['without data', { images: [image('x', { data: undefined })] }, 'images.0.data'],
    ['with data that is a list', { images: [image('x', { data: ['YQ=='] })] }, 'images.0.data'],
    ['of another type', { images: [image('YQ==', { type: 'url' })] }, 'images.0.type'],
    ['without a type', { images: [image('YQ==', { type: undefined })] }, 'images.0.type'],
    ['without a media type', { images: [image('YQ==', { mediaType: undefined })] }, 'images.0.mediaType'],
    ['that is SVG', { images: [image('YQ==', { mediaType: 'image/svg+xml' })] }, 'images.0.mediaType'],
    ['that is a PDF among images', { images: [image('YQ==', { mediaType: 'application/pdf' })] }, 'images.0.mediaType'],
    ['with a media type in capitals', { images: [image('YQ==', { mediaType: 'IMAGE/PNG' })] }, 'images.0.mediaType'],
    ['with a name on an image', { images: [image('YQ==', { name: 'a' })] }, 'images.0.name'],
    ['that is an image among files', { files: [file('YQ==', { mediaType: 'image/png' })] }, 'files.0.mediaType'],
    ['that is a program', { files: [file('YQ==', { mediaType: 'application/x-sh' })] }, 'files.0.mediaType'],
    ['that is text of no type', { files: [file('YQ==', { mediaType: 'text/' })] }, 'files.0.mediaType'],
    ['with parameters', { files: [file('YQ==', { mediaType: 'text/plain; charset=x' })] }, 'files.0.mediaType'],
    [
      'with CRLF in the media type',
      { files: [file('YQ==', { mediaType: 'text/plain\r\nX: y' })] },
      'files.0.mediaType',
    ],
    [
      'with a newline behind the media type',
      { files: [file('YQ==', { mediaType: 'text/plain\n' })] },
      'files.0.mediaType',
    ],
    ['with a name of 256 characters', { files: [file('YQ==', { name: 'x'.repeat(256) })] }, 'files.0.name'],
    ['with an empty path', { files: [file('YQ==', { path: '' })] }, 'files.0.path'],
    ['with an unknown field', { files: [file('YQ=='), file('YQ==', { url: 'x' })] }, 'files.1.url'],
    ['that is null', { images: [null] }, 'images'],
    ['too many: 21 images', { images: Array<object>(21).fill(image('YQ==')) }, 'images'],
    ['too many: 21 files', { files: Array<object>(21).fill(file('YQ==')) }, 'files'],
  ])('%s is 400 and stores nothing', async (_what, attachments, field) => {
    const before = await countMessages();
    const { status, body } = await post({ text: 'x', ...attachments });
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
    expect(await countMessages()).toBe(before);
  });
});

describe('the size of attachments', () => {
  it('may be 10 MiB each and 20 MiB in all', async () => {
    const { status } = await post({
      text: 'x',
      images: [image(contentLike('image/png', { bytes: 10 * MIB }))],
      files: [file(ofSize(10 * MIB))],
    });
    expect(status).toBe(200);
  });

  it.each<[string, () => object]>([
    ['one image has a byte more than 10 MiB', () => ({ images: [image(ofSize(10 * MIB + 1))] })],
    ['one file has a byte more than 10 MiB', () => ({ files: [file(ofSize(10 * MIB + 1))] })],
    [
      'all together have a byte more than 20 MiB',
      () => ({
        images: [image(contentLike('image/png', { bytes: 10 * MIB - 7 })), image(png())],
        files: [file(ofSize(10 * MIB))],
      }),
    ],
    [
      'the body has more than 32 MiB',
      () => ({ files: [file(ofSize(10 * MIB)), file(ofSize(10 * MIB)), file(ofSize(6 * MIB))] }),
    ],
  ])('is 413 when %s, and nothing is stored', async (_what, attachments) => {
    const before = await countMessages();
    expect((await post({ text: 'x', ...attachments() })).status).toBe(413);
    expect(await countMessages()).toBe(before);
  });

  const bodyOf = (bytes: number) => {
    const body = JSON.stringify({ text: 'x', unknown: '' });
    return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
  };

  it('of the whole body may be 32 MiB exactly', async () => {
    expect((await post(bodyOf(32 * MIB))).status).toBe(400); // it is read, and refused for its unknown field
  });

  it('of the whole body may not be a byte more', async () => {
    expect((await post(bodyOf(32 * MIB + 1))).status).toBe(413);
  });
});

describe('a page of large messages', () => {
  async function postLarge(data: () => string): Promise<string[]> {
    session = await givenSession(app, session.user, computerId);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await post({ text: `${i}`, files: [file(data())] })).body.messageId);
    return ids;
  }

  async function pages(): Promise<string[][]> {
    const all: string[][] = [];
    let cursor = '';
    do {
      const { body } = await app
        .as(session.user)
        .get(`${session.path}/messages?limit=100${cursor && `&cursor=${cursor}`}`);
      all.push(body.messages.map((message: { id: string }) => message.id));
      cursor = body.pagination.nextCursor ?? '';
    } while (cursor && all.length < 10);
    return all;
  }

  itLong('is shorter, and the next ones go on without a gap', async () => {
    const ids = await postLarge(() => randomBytes(9 * MIB).toString('base64'));
    const found = await pages();
    expect(found.length).toBeGreaterThan(1);
    expect(found.flat()).toEqual(ids);
  });

  itLong('is shorter also when the messages can be compressed well', async () => {
    const ids = await postLarge(() => ofSize(9 * MIB));
    const found = await pages();
    expect(found.flat()).toEqual(ids);
    expect(found.length).toBeGreaterThan(1);
  });
});
