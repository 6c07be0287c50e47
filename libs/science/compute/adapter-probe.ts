// Run in a process of its own by probeAdapter (webgpu.ts): a driver that crashes takes this process along, no other.
// Prints the WebGPU adapter as JSON, or null where there is none; fails where the WebGPU package cannot be loaded.
import { create } from 'webgpu';

const adapter = await create([]).requestAdapter();
if (!adapter) console.log('null');
else {
  const { description, device, vendor, architecture, isFallbackAdapter } = adapter.info;
  const name = description || device || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed adapter';
  const software = isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(`${architecture} ${name}`);
  console.log(JSON.stringify({ name, software }));
}
