import 'reflect-metadata';
import { setImmediate } from 'node:timers';
import pg from 'pg';
import { createLogger } from '../../dist/common/logging/logger.js';
import { AppConfig } from '../../dist/config/app-config.js';
import { createApp } from '../../dist/setup-app.js';
import { openDatabase } from '../../dist/startup.js';

/** Runs each request once inside this process and notes the statements it sends: the floor has to send the same ones. */
export async function recordStatements(env, requests) {
  const config = AppConfig.fromEnv(env);
  const { nest } = await createApp(config, createLogger({ level: 'silent', format: 'json' }));
  const close = await openDatabase(nest, {
    progress: () => undefined,
    signal: new AbortController().signal,
    joinRunning: true,
  });
  await nest.listen(0, '127.0.0.1');
  const url = await nest.getUrl();
  const recorded = {};
  for (const [name, { method = 'GET', path, headers, body }] of Object.entries(requests)) {
    const send = () => fetch(`${url}${path}`, { method, headers, body });
    await send(); // the caller is known from here on: what is left is the request itself
    const flights = [];
    const stop = tap(flights);
    const answer = await send();
    stop();
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    if (flights.length === 0) throw new Error(`${name}: no statement was seen`);
    recorded[name] = { flights, answer: await answer.json() };
  }
  await nest.close();
  await close();
  return recorded;
}

/** Notes statements in flights: what is sent before anything can be answered. */
function tap(flights) {
  const original = pg.Client.prototype.query;
  let flight = null;
  pg.Client.prototype.query = function (statement, given, ...rest) {
    const { name, text, values = given } = typeof statement === 'string' ? { text: statement } : statement;
    if (text !== undefined && text !== 'SELECT 1') {
      if (flight === null) {
        flights.push((flight = []));
        setImmediate(() => (flight = null));
      }
      flight.push({ name, text, values: Array.isArray(values) ? values : [] });
    }
    return original.call(this, statement, given, ...rest);
  };
  return () => {
    pg.Client.prototype.query = original;
  };
}
