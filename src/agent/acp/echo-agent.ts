/** A small agent that speaks ACP on standard input and output and needs nothing installed. Resolves when input ends. */
export function runEchoAgent(): Promise<void> {
  return Promise.reject(new Error('to be written'));
}
