export { isSecondFamily, SECOND_FAMILY, type SecondFamilyName } from './populations.js';
export { simulateSecondFamily } from './simulate.js';
