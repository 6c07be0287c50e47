/** A call that changes something: sent once, however often the button is pressed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';

interface Action<I, T> {
  run: (input: I) => void;
  /** Of a form. */
  submit: (input: I) => (event: FormEvent) => void;
  running: boolean;
  error: unknown;
  /** The latest one. */
  answer: T | undefined;
}

/** @param then once it is answered, and before all that is shown is asked for again */
export function useAction<I, T>(send: (input: I) => Promise<T>, then?: (answer: T) => void): Action<I, T> {
  const queries = useQueryClient();
  const sent = useRef(false);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: send,
    onSuccess: (answer) => then?.(answer),
    // One that failed may have changed something before.
    onSettled: () => {
      sent.current = false;
      return queries.invalidateQueries();
    },
  });
  const run = (input: I) => {
    // A second click may come before the first is drawn.
    if (sent.current) return;
    sent.current = true;
    mutate(input);
  };
  const submit = (input: I) => (event: FormEvent) => {
    event.preventDefault();
    run(input);
  };
  return { run, submit, running: isPending, error, answer: data };
}
