/** The evidence behind the approvals of a population or a workspace: to take away, and to verify here. */
import { Button, FileInput, Grid, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type MatchVerification, type Receipt, verifyReceipt } from '#client';
import { useAuditKeys, useReceiptKeys, useSession } from '../api.js';
import { Sheet } from '../audit/sheet.js';
import type { Bundle, Outcome } from '../audit/verify.worker.js';
import { startVerifier } from '../files.js';
import { decimal, localTime, rung } from '../format.js';
import { useAction } from './action.js';
import { Failure, Section } from './page.js';
import { save } from './save.js';
import { Mark } from './show.js';

/** Verifies in a worker, which ends with its answer or with the page. */
function useVerifier(): { verify: (bundle: Bundle) => void; running: boolean; outcome: Outcome | undefined } {
  const [bundle, setBundle] = useState<Bundle>();
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (!bundle) return;
    setOutcome(undefined);
    const worker = startVerifier();
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => setOutcome(data);
    worker.onerror = ({ message }) => setOutcome({ says: 'unreadable', why: message || 'the verifier did not start' });
    worker.postMessage(bundle);
    return () => worker.terminate();
  }, [bundle]);
  return { verify: setBundle, running: bundle !== undefined && outcome === undefined, outcome };
}

const nameIn = (disposition: string | null, otherwise: string) =>
  /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? otherwise;
const digestIn = (text: string) => text.replace(/\s/g, '').toLowerCase() || undefined;

/** The receipt of a verdict, verified in the page by the keys of the service that shows it. */
function ReceiptField() {
  const keys = useReceiptKeys();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Receipt | Error>();
  useEffect(() => {
    setFound(undefined);
    if (!keys || text.trim() === '') return;
    let current = true;
    verifyReceipt(text.trim(), keys)
      .catch((error: Error) => error)
      .then((one) => current && setFound(one));
    return () => {
      current = false;
    };
  }, [keys, text]);
  return (
    <Stack gap={6} className="no-print">
      <TextInput
        size="xs"
        label="Or verify a receipt"
        description="The text that an answer has under receipt."
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        error={found instanceof Error && `The receipt does not hold: ${found.message}`}
      />
      {found && !(found instanceof Error) && (
        <Text size="sm" role="status" className="long">
          <Mark tone="good">the receipt holds</Mark> {found.verdict} for {found.claim_id} of {found.key}, score{' '}
          {decimal(found.fused_score)}, threshold {decimal(found.threshold)} at {rung(found.reject_target)},{' '}
          {localTime(found.at)}; rough {sideOf(found.rough)}, polish {sideOf(found.polish)}.
        </Text>
      )}
    </Stack>
  );
}

const sideOf = ({ digest, stone_ids }: Receipt['rough']) => [digest, ...stone_ids].join(' ');

/** @param name of the file, where the answer says none @param fetch the zip */
export function AuditBundle({
  name,
  fetch,
}: {
  name: string;
  fetch: (client: MatchVerification) => Promise<Response>;
}) {
  const { client } = useSession();
  const { verify, running, outcome } = useVerifier();
  const keys = useAuditKeys();
  const [noted, setNoted] = useState({ root: '', key: '', continues: '' });
  const bundleOf = (zip: Blob): Bundle => ({
    zip,
    root: digestIn(noted.root),
    key: digestIn(noted.key),
    continues: digestIn(noted.continues),
  });
  /** The one that was verified last, where it is the service's: it is not built again to be taken away. */
  const [held, setHeld] = useState<{ zip: Blob; file: string }>();
  const fetched = async () => {
    const response = await fetch(client);
    const file = nameIn(response.headers.get('content-disposition'), `audit-${name}.zip`);
    return { zip: await response.blob(), file };
  };
  const download = useAction(async (alsoVerify: boolean) => {
    const bundle = (alsoVerify ? undefined : held) ?? (await fetched());
    if (!alsoVerify) return save(bundle.zip, bundle.file);
    setHeld(bundle);
    verify(bundleOf(bundle.zip));
  });
  const field = (name: keyof typeof noted, label: string, description: string) => (
    <TextInput
      size="xs"
      label={label}
      description={description}
      value={noted[name]}
      onChange={({ currentTarget: { value } }) => setNoted((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <Section
      title="Audit"
      meaning="Everything that the approvals rest on, as one zip, and a verifier that recomputes them from it."
    >
      <Stack gap="sm">
        <Text size="sm" className="no-print">
          The bundle tells most of the shape of each stone’s spectrum: keep it as secret as the laboratory keeps its
          scans.
        </Text>
        <Grid className="no-print">
          <Grid.Col span={{ base: 12, sm: 4 }}>
            {field('root', 'Root digest, if you were told one', 'The bundle must be that very one.')}
          </Grid.Col>
          <Grid.Col span={{ base: 12, sm: 4 }}>
            {field('key', 'Public key, if you were told one', 'The bundle must be signed by it.')}
          </Grid.Col>
          <Grid.Col span={{ base: 12, sm: 4 }}>
            {field('continues', 'Chain root that you noted last', 'The decisions up to it must still be the same.')}
          </Grid.Col>
        </Grid>
        <Group align="end" className="no-print">
          <Button size="xs" loading={download.running} onClick={() => download.run(true)}>
            Verify
          </Button>
          <Button size="xs" variant="default" disabled={download.running} onClick={() => download.run(false)}>
            {held ? 'Download this bundle' : 'Download'}
          </Button>
          <FileInput
            size="xs"
            label="Or verify a bundle that you have"
            placeholder="choose a zip"
            accept=".zip"
            clearable
            onChange={(file) => {
              if (!file) return;
              setHeld(undefined);
              verify(bundleOf(file));
            }}
            w={240}
          />
        </Group>
        <ReceiptField />
        {download.error !== null && download.error !== undefined && <Failure error={download.error} />}
        {running && (
          <Group gap="xs">
            <Loader size="xs" aria-label="verifying" />
            <Text size="sm">Recomputing every approval. 10,000 claims take a minute or two.</Text>
          </Group>
        )}
        {outcome && <Sheet of={outcome} keys={keys} />}
      </Stack>
    </Section>
  );
}
