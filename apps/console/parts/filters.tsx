/** Filters of a listing. They stand in the address, so that a page can be reloaded and sent to a colleague. */
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { localInput, ZONE } from '../format.js';
import { inWords } from '../words.js';

interface Described {
  label: string;
  meaning?: string;
}
interface Choice extends Described {
  values: readonly string[];
  /** Shows a value; in words by default. */
  show?: (value: string) => string;
}
interface Text extends Described {
  kind: 'text' | 'time' | 'share';
}
export type Filters = Record<string, Choice | Text>;
export type Chosen<F extends Filters> = { [N in keyof F]?: string };

/** Values of these filters in the address, and how to change them. An unknown value counts for none. */
export function useFilters<F extends Filters>(
  filters: F,
): [Chosen<F>, (name: keyof F & string, value?: string) => void] {
  const [params, setParams] = useSearchParams();
  const chosen = Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => {
      const value = params.get(name);
      const known = value !== null && value !== '' && (!('values' in filter) || filter.values.includes(value));
      return known ? [[name, value]] : [];
    }),
  ) as Chosen<F>;
  const set = useCallback(
    (name: string, value?: string) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (value) after.set(name, value);
          else after.delete(name);
          return after;
        },
        { replace: true },
      ),
    [setParams],
  );
  return [chosen, set];
}

interface BarProps<F extends Filters> {
  filters: F;
  /** So many are always shown; the others where they are asked for, or chosen. */
  first?: number;
  chosen: Chosen<F>;
  set: (name: keyof F & string, value?: string) => void;
}

export function FilterBar<F extends Filters>({ filters, first = 99, chosen, set }: BarProps<F>) {
  const [, setParams] = useSearchParams();
  const names = Object.keys(filters);
  const [all, setAll] = useState(names.slice(first).some((name) => name in chosen));
  return (
    <Group gap="xs" align="end" role="search" aria-label="filters">
      {names.slice(0, all ? undefined : first).map((name) => {
        const filter = filters[name];
        const value = chosen[name] ?? '';
        return 'values' in filter ? (
          <NativeSelect
            key={name}
            label={filter.label}
            title={filter.meaning}
            data={[
              { value: '', label: 'all' },
              ...filter.values.map((one) => ({ value: one, label: (filter.show ?? inWords)(one) })),
            ]}
            value={value}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
            size="xs"
            w={150}
          />
        ) : (
          <Typed key={name} filter={filter} value={value} set={(to) => set(name, to)} />
        );
      })}
      {names.length > first && (
        <Button size="xs" variant="default" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Fewer filters' : 'More filters'}
        </Button>
      )}
      {names.some((name) => name in chosen) && (
        <Button size="xs" variant="default" onClick={() => setParams({}, { replace: true })}>
          Clear
        </Button>
      )}
    </Group>
  );
}

/** Taken when it is left or entered: a listing is not asked for with every letter. */
export function Typed({ filter, value, set }: { filter: Text; value: string; set: (value: string) => void }) {
  const { kind, label, meaning } = filter;
  const [text, setText] = useState(shownAs(kind, value));
  const taken = useRef(value);
  useEffect(() => {
    // A value that was taken here comes back from the address later: something else may stand here by then.
    if (value === taken.current) return;
    taken.current = value;
    setText(shownAs(kind, value));
  }, [kind, value]);
  const take = () => {
    if (text === shownAs(kind, taken.current)) return;
    const at = new Date(text.trim().replace(' ', 'T'));
    const isTime = kind === 'time' && text.trim() !== '';
    if (isTime && Number.isNaN(at.getTime())) return setText(shownAs(kind, taken.current));
    taken.current = isTime ? at.toISOString() : text.trim();
    set(taken.current);
  };
  return (
    <TextInput
      label={kind === 'time' ? `${label} (${ZONE})` : label}
      title={meaning}
      placeholder={kind === 'time' ? 'yyyy-mm-dd hh:mm' : undefined}
      inputMode={kind === 'share' ? 'decimal' : undefined}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => key === 'Enter' && take()}
      size="xs"
      w={kind === 'time' ? 185 : kind === 'share' ? 80 : 150}
    />
  );
}

const shownAs = (kind: Text['kind'], value: string) => (kind === 'time' && value ? localInput(value) : value);
