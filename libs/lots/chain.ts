/** The chain over decisions about a workspace's lot scorer. docs/audit/chain.md. */
import { chainRootsOf, eventChain } from '#kit/log/chain';
import type { RecordedEvent } from '#kit/log/port';

export const lotScorerChain = eventChain('mvs-lot-scorer-chain/1');

/** The roots before the stream's first event and after each, 64 hex digits. */
export const lotScorerRoots = (workspaceId: string, events: readonly RecordedEvent[]): [string, ...string[]] =>
  chainRootsOf(lotScorerChain, workspaceId, events);
