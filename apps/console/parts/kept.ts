/** State of a page beside its address, as how far a list is scrolled: it is there again where one comes back to the page. */
import { useState } from 'react';
import { useLocation } from 'react-router';

/** By entry of the browser's history: an entry that is gone is never asked for again. */
const kept = new Map<string, unknown>();

interface Kept<T> {
  value: T;
  /** Without drawing anything again. */
  keep: (value: T) => void;
  set: (value: T) => void;
}

export function useKept<T>(name: string, first: T): Kept<T> {
  const { key } = useLocation();
  const place = `${key} ${name}`;
  const [, draw] = useState(0);
  const keep = (value: T) => void kept.set(place, value);
  const set = (value: T) => {
    keep(value);
    draw((before) => before + 1);
  };
  return { value: (kept.get(place) as T | undefined) ?? first, keep, set };
}

/** Of each list the filters that it had last, so that the way up from an item leads back to them. */
const filters = new Map<string, string>();
export const keepFilters = (path: string, search: string): void => void filters.set(path, search);
export const withFilters = (path: string): string => path + (filters.get(path) ?? '');
