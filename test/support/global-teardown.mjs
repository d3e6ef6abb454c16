const EXIT_MS = 5_000;

export default async function tearDown() {
  await globalThis.testDatabaseServer?.stop();
  // Leftovers are reported per file; they must not keep the run from ending.
  setTimeout(() => process.exit(), EXIT_MS).unref();
}
