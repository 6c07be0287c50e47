/**
 * Ends what a test has opened once the test is over, last first, also where it failed: a connection or a server that is left
 * open keeps the whole run from ending. To be called at the top of a suite; what it returns, within its tests.
 */
export function endings() {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return <T>(opened: T, end: (opened: T) => unknown): T => {
    ends.push(() => end(opened));
    return opened;
  };
}
