export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

export const consoleLog: Log = {
  info: (message) => process.stderr.write(`${new Date().toISOString()} ${message}\n`),
  warn: (message) => process.stderr.write(`${new Date().toISOString()} WARNING ${message}\n`),
};
