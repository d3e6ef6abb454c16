import 'reflect-metadata';
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
    const statements = [];
    const stop = tap(statements);
    const answer = await send();
    stop();
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    recorded[name] = { statements, answer: await answer.json() };
  }
  await nest.close();
  await close();
  return recorded;
}

function tap(statements) {
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (text, values, ...rest) {
    const isPing = text === 'SELECT 1';
    if (typeof text === 'string' && !isPing) statements.push({ text, values: Array.isArray(values) ? values : [] });
    return original.call(this, text, values, ...rest);
  };
  return () => {
    pg.Client.prototype.query = original;
  };
}
