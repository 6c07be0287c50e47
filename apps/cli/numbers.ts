/** Numbers in options. @throws InvalidArgumentError */
import { InvalidArgumentError } from 'commander';

export const numberWithin =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };

export const wholeWithin =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    const end = max === Number.MAX_SAFE_INTEGER ? 'on' : `to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number from ${min} ${end}.`);
  };

export const wholeFrom = (min: number) => wholeWithin(min, Number.MAX_SAFE_INTEGER);
export const wholeNumber = wholeFrom(1);

/** One of several values of an option. */
export const wholeNumbers = (text: string, before: number[] = []): number[] => [...before, wholeNumber(text)];
