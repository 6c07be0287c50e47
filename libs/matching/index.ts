export { cosine, encodeScans, fusedScore, isBlank, type PlacedModel, placeModel, poolSide } from './encoder.js';
export { type Encoder, loadModel, type Model, modelFile, modelOf, VECTOR } from './model.js';
export { ModelFileError } from './safetensors.js';
export { MODEL_FILE, shippedModel, shippedModelFolder } from './shipped.js';
export { derivativePerPath, fitView, type View, viewOf } from './view.js';
