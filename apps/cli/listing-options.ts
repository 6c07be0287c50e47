/** Options of listings, made from the listings' descriptions: `p_min` is `--p-min`. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Asked, type Paging, type Parameter, type Parameters, RUNG_PATTERN } from '#kit/views/listings';

export function withParameters(command: Command, parameters: Parameters): Command {
  for (const [name, parameter] of Object.entries(parameters)) {
    const option = `--${name.replaceAll('_', '-')}`;
    const { says } = parameter;
    if (parameter.kind === 'flag') {
      command.option(option, says);
      if (parameter.unset) command.option(option.replace('--', '--no-'), parameter.unset);
    } else if (parameter.kind === 'text') {
      command.option(`${option} <${name}>`, says);
    } else if (parameter.kind === 'one of') {
      const values = parameter.values.join(', ');
      command.option(`${option} <${name}>`, says === name ? values : `${values}: ${says}`, readerOf(parameter));
    } else {
      command.option(`${option} <${parameter.kind}>`, says, readerOf(parameter));
    }
  }
  return command;
}

/** The query that the options ask for, under the parameters' names. */
export function askedOf<P extends Parameters>(parameters: P, options: object): Asked<P> {
  const given = options as Record<string, unknown>;
  const attribute = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const asked = Object.keys(parameters).map((name) => [name, given[attribute(name)]]);
  return Object.fromEntries(asked.filter(([, value]) => value !== undefined)) as Asked<P>;
}

export const pagingOf = ({ limit, cursor }: Paging): Paging => ({ limit, cursor });

function readerOf(parameter: Parameter): (text: string) => string | number {
  switch (parameter.kind) {
    case 'one of':
      return (text) => must(parameter.values.includes(text), text, `It is one of ${parameter.values.join(', ')}.`);
    case 'time':
      return time;
    case 'rung':
      return (text) => must(RUNG_PATTERN.test(text), text, 'It is a rung as 0.98.');
    case 'share':
      return (text) => must(/^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1, Number(text), 'It is from 0 to 1.');
    case 'status':
      return (text) => must(/^[1-5][0-9]{2}$/.test(text), Number(text), 'It is an HTTP status as 400.');
    default:
      return String;
  }
}

function must<T>(holds: boolean, value: T, otherwise: string): T {
  if (!holds) throw new InvalidArgumentError(otherwise);
  return value;
}

/** @returns as the views hold times */
export function time(text: string): string {
  const read = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  if (!read || Number.isNaN(read.getTime()))
    throw new InvalidArgumentError('It is a time as 2026-11-20T18:00:00Z. A directory of views is --views.');
  return read.toISOString();
}
