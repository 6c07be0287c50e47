/**
 * The files of the page and the release that they are of. A page outlives a restart of the service; after a release it says so, and
 * reloads once nothing typed would be lost.
 */
import { ConnectionFailed } from '#client';
import { Store } from './store.js';

/** Between two looks for a release of a page that stays open. */
const LOOK_MS = 5 * 60_000;
/** So long it is said before the page reloads. */
const SAID_MS = 3_000;
/** A page younger than this does not reload for a file that fails: it would again, and again. */
const SETTLED_MS = 30_000;

const RELEASED = 'There is a new release of the console.';

/** The reason why the page has to be loaded again; undefined while it has not. */
export const outdated = new Store<string | undefined>(undefined);

/** Address of the page itself, and the script in it that the build names by the content of all files. */
const PAGE = import.meta.env.BASE_URL;
const scriptOf = (page: Document) => page.querySelector('script[type=module][src]')?.getAttribute('src');
const OWN = scriptOf(document);

/** @throws ConnectionFailed where the service does not give the page */
async function isOfNow(): Promise<boolean> {
  const response = await fetch(PAGE, { cache: 'no-store' }).catch(() => undefined);
  if (!response?.ok) throw new ConnectionFailed('the service does not answer');
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return scriptOf(page) === OWN;
}

/** Looks for a release; says nothing where the service does not answer, as others notice that. */
export async function lookForRelease(): Promise<void> {
  const same = await isOfNow().catch(() => true);
  if (!same) outdated.set(RELEASED);
}

/** A part of the page that has a file of its own. @throws ConnectionFailed where the service does not answer: ask again once it does */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    if (await isOfNow()) return await again(load);
    outdated.set(RELEASED);
    throw new Error('This part of the console comes with its new release.');
  }
}

/** Of a service that was away for a moment. */
async function again<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    // Some browsers remember that a file could not be had, for as long as the page is open.
    if (performance.now() > SETTLED_MS) outdated.set('A part of the console could not be loaded.');
    throw error;
  }
}

/** Fields that somebody typed into since they were drawn; what a filter or the search holds is in the address, or is nothing. */
const touched = new Set<HTMLInputElement | HTMLTextAreaElement>();
const holds = (field: HTMLInputElement | HTMLTextAreaElement) =>
  field.type === 'radio' || field.type === 'checkbox' ? (field as HTMLInputElement).checked : field.value !== '';

/** Says for other parts of the page, such as notes that are kept apart, whether they hold anything. */
const keepers = new Set<() => boolean>();
export const keepsTyped = (holds: () => boolean): void => void keepers.add(holds);

/** True if a reload would lose something: text, a choice, an open dialogue. */
function wouldLose(): boolean {
  for (const field of touched) if (!field.isConnected) touched.delete(field);
  return (
    [...touched].some(holds) ||
    [...keepers].some((one) => one()) ||
    document.querySelector('dialog[open], [data-unsaved]') !== null
  );
}

/** @param before what has to be done right before the page is loaded again */
export function watchRelease(before: () => void): void {
  document.addEventListener('input', ({ target }) => {
    const field = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target : undefined;
    if (field && !field.closest('[role=search]')) touched.add(field);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void lookForRelease();
  });
  setInterval(() => void lookForRelease(), LOOK_MS);
  setInterval(async () => {
    if (outdated.get() === undefined || wouldLose()) return;
    // A page that the service does not give now would be lost for the browser's own.
    const answers = await isOfNow().catch(() => undefined);
    if (answers !== undefined && !wouldLose()) reload(before);
  }, SAID_MS);
}

export function reload(before: () => void): void {
  before();
  location.reload();
}
