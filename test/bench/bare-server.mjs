import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

/**
 * The floor: plain http and pg. GET /<case> sends the statements that the service sends for that case and answers with the
 * rows as JSON. No authentication, no validation, no framework. The environment says how: URL, ROLE, WALL (yes: as the
 * request role, transaction preamble included; no: only the statements themselves), CASES (JSON).
 */
const { URL: url, ROLE, WALL, CASES } = process.env;
const cases = JSON.parse(CASES);
const hasWall = WALL === 'yes';
const pool = new pg.Pool({
  connectionString: url,
  max: 10,
  pipeline: true,
  ...(hasWall ? { options: `-c role=${ROLE}` } : {}),
});
let counter = hasWall ? 1_000_000 : 100_000_000; // positions of messages: the two floors write to one session

const server = createServer((request, response) => {
  answer(cases[request.url.slice(1)]).then(
    (rows) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(rows)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

async function answer({ flights, fresh }) {
  const client = await pool.connect();
  const replacements = new Map(fresh.map((value) => [value, typeof value === 'number' ? ++counter : randomUUID()]));
  const values = (list) => list.map((value) => replacements.get(value) ?? value);
  try {
    const rows = [];
    for (const flight of flights) {
      const sent = flight.filter(({ text }) => hasWall || !/^(BEGIN|COMMIT)/.test(text));
      client.connection.stream.cork(); // in one packet, as the service does
      const results = Promise.all(
        sent.map(({ name, text, values: list }) =>
          name ? client.query({ name, text, values: values(list) }) : client.query(text, values(list)),
        ),
      );
      client.connection.stream.uncork();
      rows.push(...(await results).map((result) => result.rows ?? []));
    }
    return rows;
  } finally {
    client.release();
  }
}
