/** The layers of layers.json, which docs/concepts/architecture.md shows: a module imports only from layers below its own. */
const { layers } = require('./layers.json');
const modules = layers.map((layer) => Object.keys(layer));
/** Rooms by noun: one layer. Within a layer a room may import another, but never in a circle: scripts/rooms.mjs. */
const rooms = modules.find((layer) => layer.includes('libs/claims')).filter((room) => room !== 'libs/catalogue');
const pattern = (paths) => `^(${paths.join('|')})/`;
/** Doubles and fixtures of tests stand next to what they test and may look anywhere below the programs. */
const TESTS = '[.]spec[.]ts$|/test/';
const inRooms = (files) => `^(${rooms.join('|')})/${files}[^/]*[.]ts$`;

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    // A room is named by layers.json before it has code.
    { name: 'in-no-layer', severity: 'error', from: { pathNot: pattern(modules.flat()) }, to: {} },
    { name: 'alone-in-no-layer', severity: 'error', from: { orphan: true, pathNot: pattern(modules.flat()) }, to: {} },
    // What the build makes is not there in a clean checkout.
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^[.]/generated/', '^([.][.]/)+dist/'] },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^libs/domain', pathNot: '[.]spec[.]ts$' },
      to: { path: '^node:' },
    },
    {
      name: 'deciders-and-events-are-pure',
      severity: 'error',
      from: { path: inRooms('(decide|events)'), pathNot: '[.]spec[.]ts$' },
      to: { path: '^(node:|libs/kit/)' },
    },
    {
      name: 'only-routes-know-the-framework',
      severity: 'error',
      from: { path: inRooms(''), pathNot: [inRooms('route'), '[.]spec[.]ts$'] },
      to: { path: '@nestjs/' },
    },
    {
      name: 'only-views-and-queries-know-sqlite',
      severity: 'error',
      from: { path: inRooms(''), pathNot: [inRooms('(view|queries)'), TESTS] },
      to: { path: 'node_modules/libsql' },
    },
    {
      // Two families of physics are only two while neither knows the other's.
      name: 'second-family-shares-no-physics',
      severity: 'error',
      from: { path: '^lab/second-family', pathNot: '[.]spec[.]ts$' },
      to: { path: '^lab/simulator/(?!(exact-math|random|fourier|index)[.]ts$)' },
    },
    {
      name: 'libraries-without-framework',
      severity: 'error',
      from: { path: '^libs/(science|domain|catalogue|vendor|pictures|kit/(admission|threads))' },
      to: { path: '@nestjs/' },
    },
    ...modules.slice(0, -1).map((paths, layer) => ({
      name: `layer-${layer + 1}-imports-up`,
      severity: 'error',
      from: { path: pattern(paths), pathNot: TESTS },
      to: { path: pattern(modules.slice(layer + 1).flat()) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules|^dist' },
    // Programs at the top, what is not TypeScript of the project, and packages but for those that the rules name. What the
    // console may import, biome.json says: the parser here reads no JSX.
    exclude: {
      path: '^[^/]+[.](mjs|cjs)$|^apps/console/|^(clients|docs|dist|scripts|var)/|^packages/client/examples|^test/client/programs/|^libs/science/compute/kernels|^node_modules/(?!@nestjs/|libsql/)',
    },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
