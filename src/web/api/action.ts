import { useMutation, useQueryClient } from '@tanstack/react-query';
import { say } from '../ui/Toasts.js';
import { Problem } from './problem.js';

interface Options<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** The first parts of the keys of what has changed and is read again. */
  readonly changes?: readonly string[];
  /** What is said when it worked. */
  readonly done?: string;
  readonly onDone?: (output: Output, input: Input) => void;
  /** Instead of saying the problem; true: handled. */
  readonly onProblem?: (problem: Problem) => boolean;
}

/** A change at the service: runs once however often it is clicked, says how it went, and refreshes what it changed. */
export function useAction<Input = void, Output = unknown>(options: Options<Input, Output>) {
  const { run, changes = [], done, onDone, onProblem } = options;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: async (output, input) => {
      if (done) say(done);
      onDone?.(output, input);
      await Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
    onError: (error) => {
      if (error instanceof Problem && onProblem?.(error)) return;
      const request = error instanceof Problem && error.requestId ? ` (request ${error.requestId})` : '';
      say(`${error instanceof Problem ? error.detail : 'The service is not reachable.'}${request}`, {
        isProblem: true,
      });
    },
  });
}
