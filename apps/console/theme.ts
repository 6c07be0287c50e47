/** The project's palette (#pictures) as Mantine's theme: one set of colours for pages, charts and reports. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { ASK, BAD, DOUBT, GOOD, INK, onDark, SERIES } from '#pictures';

const PRIMARY: MantineColorsTuple = [
  '#e6f3fb',
  '#cde6f6',
  '#9fd0ee',
  '#70b8e4',
  '#5ab4f0',
  '#1f8bcb',
  SERIES[0],
  '#00639b',
  '#005283',
  '#003f66',
];

export const theme = createTheme({
  colors: { service: PRIMARY },
  primaryColor: 'service',
  primaryShade: 6,
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'sm',
  cursorType: 'pointer',
});

const OUTCOMES = { good: GOOD, doubt: DOUBT, ask: ASK, bad: BAD };

const variables = (of: (colour: string) => string) => ({
  '--mantine-color-body': of(INK.paper),
  '--mantine-color-text': of(INK.text),
  '--mantine-color-dimmed': of(INK.muted),
  '--mantine-color-placeholder': of(INK.muted),
  '--mantine-color-error': of(BAD.line),
  '--mantine-color-red-outline': of(BAD.line),
  '--mantine-color-yellow-outline': of(DOUBT.line),
  '--grid': of(INK.grid),
  ...Object.fromEntries(
    Object.entries(OUTCOMES).flatMap(([name, { fill, line }]) => [
      [`--${name}-fill`, of(fill)],
      [`--${name}-line`, of(line)],
    ]),
  ),
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: variables((colour) => colour),
  dark: variables(onDark),
});
