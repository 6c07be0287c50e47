/** The contract's examples of an operation: calls in three languages, a request and an answer. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Example, SAMPLES } from './samples.js';

interface Content {
  example?: unknown;
  examples?: unknown;
}
interface Shown {
  operationId: string;
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
}

/** Each scheme of the contract: its header, and how the clients and a shell call the credential. */
const CREDENTIALS: Record<string, { header: string; typescript: string; python: string; variable: string }> = {
  apiKey: { header: 'X-Api-Key', typescript: 'apiKey', python: 'api_key', variable: '$API_KEY' },
  operator: { header: 'X-Svc-Admin', typescript: 'operatorKey', python: 'operator_key', variable: '$OPERATOR_KEY' },
  workspace: {
    header: 'X-Svc-Token',
    typescript: 'workspaceToken',
    python: 'workspace_token',
    variable: '$WORKSPACE_TOKEN',
  },
};

const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(method: string, header: string | undefined, { path, body, form = [] }: Example): string {
  const verb = method.toUpperCase();
  const parts = [
    // A body makes it a POST.
    ...(verb === 'GET' || (verb === 'POST' && (form.length > 0 || body !== undefined)) ? [] : [`-X ${verb}`]),
    ...(header === undefined ? [] : [`-H "${header}"`]),
    ...form.map(([name, value]) => `-F ${inQuotes(`${name}=${value}`)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${inQuotes(JSON.stringify(body))}`]),
    `"$URL${path}"`,
  ];
  return `curl -sS ${parts.join(' \\\n  ')}`;
}

function codeSamples(method: string, { operationId, security }: Shown, example: Example) {
  const [typescript, python] = SAMPLES[operationId];
  const credential = CREDENTIALS[Object.keys(security?.[0] ?? {})[0] ?? ''];
  const named = credential && { ts: `, ${credential.typescript}`, py: `, ${credential.python}=${credential.python}` };
  return [
    {
      lang: 'shell',
      label: 'curl',
      source: curl(method, credential && `${credential.header}: ${credential.variable}`, example),
    },
    {
      lang: 'typescript',
      label: 'TypeScript',
      source: [
        "import { MatchVerification } from '@match-verification/client';",
        `const client = new MatchVerification({ baseUrl${named?.ts ?? ''} });`,
        `${typescript};`,
      ].join('\n'),
    },
    {
      lang: 'python',
      label: 'Python',
      source: [
        'from match_verification import Client',
        `client = Client(base_url${named?.py ?? ''})`,
        python.replace(/^(for .*:) (print.*)$/, '$1\n    $2'),
      ].join('\n'),
    },
  ];
}

/** Adds samples and examples to the operations that have them. */
export async function showSamples({ paths }: OpenAPIObject): Promise<void> {
  const { EXAMPLES } = await import('./examples.js');
  for (const methods of Object.values(paths))
    for (const [method, operation] of Object.entries(methods as Record<string, Shown>)) {
      const example: Example | undefined = EXAMPLES[operation.operationId];
      if (!example || !SAMPLES[operation.operationId]) continue;
      operation['x-codeSamples'] = codeSamples(method, operation, example);
      const asked = operation.requestBody?.content['application/json'];
      if (asked && !asked.examples && example.body !== undefined) asked.example = example.body;
      const [answered] = Object.values(operation.responses[example.status]?.content ?? {});
      if (answered && example.answer !== undefined) answered.example = example.answer;
    }
}
