/** The floors of docs/architecture.md: a room imports only from floors below it. */
const floors = [
  ['config'],
  ['libs/spectra', 'libs/compute'],
  ['libs/matching', 'libs/calibration', 'libs/lots'],
  ['libs/domain'],
  ['libs/event-store', 'libs/scoring', 'libs/views', 'libs/vendor'],
  ['libs/service'],
  ['libs/audit'],
  ['lab/', 'apps/', 'bench/'],
];
const climbing = floors.slice(0, -1).map((rooms, floor) => ({
  name: `floor-${floor}-climbs`,
  severity: 'error',
  from: { path: `^(${rooms.join('|')})`, pathNot: '[.]spec[.]ts$' },
  to: {
    path: `^(${floors
      .slice(floor + 1)
      .flat()
      .join('|')})`,
  },
}));
module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^libs/domain', pathNot: '[.]spec[.]ts$' },
      to: { path: '^node:' },
    },
    ...climbing,
  ],
  options: {
    doNotFollow: { path: 'node_modules|^dist' },
    includeOnly: '^(apps|bench|config|lab|libs|packages|test)/',
    exclude: { path: '^libs/compute/kernels' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
