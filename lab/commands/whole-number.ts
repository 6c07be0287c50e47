import { InvalidArgumentError } from 'commander';

/** Reads an option's value. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}

/** Reads one of several values of an option. @throws InvalidArgumentError */
export const wholeNumbers = (text: string, before: number[] = []): number[] => [...before, wholeNumber(text)];
