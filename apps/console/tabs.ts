/**
 * The console's tabs among themselves: a tab without a key asks the others for theirs, and signing out in one ends all. A
 * BroadcastChannel reaches tabs of the same browser at the same address alone, and stores nothing.
 */

type Message = { says: 'key?' } | { says: 'key'; key: string } | { says: 'out' };

/** Enough for a tab in the background; a first visitor waits so long for the page that asks for the key. */
const ANSWER_MS = 300;

const channel = new BroadcastChannel('mvs-console');
const say = (message: Message) => channel.postMessage(message);

interface Tab {
  /** The key of this tab, to be told to those that ask. */
  key: () => string | undefined;
  /** A key that another tab has. */
  told: (key: string) => void;
  /** Somebody signed out. */
  out: () => void;
}

export function joinTabs({ key, told, out }: Tab): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const own = key();
    if (data.says === 'key?' && own !== undefined) say({ says: 'key', key: own });
    else if (data.says === 'key') told(data.key);
    else if (data.says === 'out') out();
  });
}

export const tellKey = (key: string): void => say({ says: 'key', key });
export const tellOut = (): void => say({ says: 'out' });

/** The key of another tab; undefined where none has one. */
export function askForKey(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const take = ({ data }: MessageEvent<Message>) => {
      if (data.says === 'key') end(data.key);
    };
    const end = (key?: string) => {
      channel.removeEventListener('message', take);
      resolve(key);
    };
    channel.addEventListener('message', take);
    setTimeout(end, ANSWER_MS);
    say({ says: 'key?' });
  });
}
