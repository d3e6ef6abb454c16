/** Milliseconds of CPU that `work` took: unlike the clock, other processes do not add to it. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
