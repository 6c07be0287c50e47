# One image for the api and the worker. Built in stages; runs as a user without rights on a read-only file system.
FROM node:22.21-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev && node image.mjs

FROM node:22.21-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/models ./models
COPY --from=build /app/docs ./docs
# A volume here takes its owner from the image.
RUN install --directory --owner=node --group=node --mode=0700 /data
USER node
EXPOSE 3000
CMD ["node", "--single-threaded-gc", "dist/apps/server/main.js"]
