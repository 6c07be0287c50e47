/** Jest's globals: its runner gives them to every spec, which Node loads as it loads the service. */
type Jest = typeof import('@jest/globals');

declare const afterAll: Jest['afterAll'];
declare const afterEach: Jest['afterEach'];
declare const beforeAll: Jest['beforeAll'];
declare const beforeEach: Jest['beforeEach'];
declare const describe: Jest['describe'];
declare const expect: Jest['expect'];
declare const it: Jest['it'];
declare const jest: Jest['jest'];
