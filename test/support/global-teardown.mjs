const EXIT_MS = 5_000;

export default async function tearDown() {
  await globalThis.testDatabaseServer?.stop();
  // What a file has left behind is in its result; it does not keep the run from ending.
  setTimeout(() => process.exit(), EXIT_MS).unref();
}
