import { Presets, SingleBar } from 'cli-progress';

/** On stderr: a progress bar on a terminal, else a line for every 10 %. */
export async function withProgress<T>(
  title: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar(
    {
      format: `${title} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`,
      stream: process.stderr,
      noTTYOutput: false,
      clearOnComplete: false,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  const isTerminal = process.stderr.isTTY;
  const shown = { isStarted: false, tenths: 0 };
  try {
    return await work((done, total) => {
      if (!isTerminal) {
        const tenth = Math.floor((done / total) * 10);
        if (tenth > shown.tenths) process.stderr.write(`${title}: ${tenth * 10} %\n`);
        shown.tenths = tenth;
      } else if (shown.isStarted) bar.update(done);
      else {
        shown.isStarted = true;
        bar.start(total, done);
      }
    });
  } finally {
    if (shown.isStarted) bar.stop();
  }
}
