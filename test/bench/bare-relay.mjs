import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/** A WebSocket that inserts a message and its turn in one transaction, behind the wall, and then answers. */
const { URL: url, ROLE: role, ORG: org, SESSION: session } = process.env;
const client = new pg.Client({ connectionString: url, options: `-c role=${role}` });
await client.connect();
const computer = randomUUID();
let seq = 1_000_000;

async function insert(text) {
  const id = randomUUID();
  await client.query(`BEGIN; SET LOCAL app.org_id = '${org}'`);
  await client.query(
    `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, search, created_at, updated_at)
     SELECT $1, $2, $3, $4, s.user_id, 'user', $5, to_tsvector('simple', $6), now(), now()
       FROM sessions s WHERE s.org_id = $1 AND s.id = $2`,
    [org, session, id, seq++, JSON.stringify([{ type: 'text', text }]), text],
  );
  await client.query(
    `INSERT INTO turns (org_id, session_id, message_id, computer_id, status, created_at)
     VALUES ($1, $2, $3, $4, 'queued', now())`,
    [org, session, id, computer],
  );
  await client.query('COMMIT');
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', async (data) => {
    await insert(data.toString());
    socket.send('done');
  });
});
server.on('listening', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
