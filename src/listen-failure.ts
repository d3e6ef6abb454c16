/** The variables that decide where something listens, with their values. */
export interface ListenSettings {
  readonly variable: 'PORT' | 'METRICS_PORT';
  readonly port: number;
  readonly host: string;
}

/** An error in one sentence, with the way out, when an address cannot be listened on; any other error as it is. */
export function explainListenFailure(error: unknown, { variable, port, host }: ListenSettings): unknown {
  const other = (value: number) => `\`${variable}=${value} npm start\``;
  switch (error instanceof Error && 'code' in error ? error.code : null) {
    case 'EADDRINUSE':
      return new Error(
        `Port ${port} of ${host} is in use (EADDRINUSE): stop the program that uses it, or choose another, as in ${other(nextPort(port))}.`,
      );
    case 'EACCES':
      return new Error(
        `This user may not listen on port ${port} (EACCES): choose a port from 1024 on, as in ${other(port + 3000)}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(
        `This machine has no address ${host}: \`HOST=127.0.0.1 npm start\` is for this machine only, \`HOST=0.0.0.0 npm start\` for every network it is in.`,
      );
    default:
      return error;
  }
}

function nextPort(port: number): number {
  return port < 65_535 ? port + 1 : 3000;
}
