# The way of a study from R: plan, release, read, draw, verify. Needs the command.
library(geomdp)
set.seed(1)
folder <- tempfile("study")
dir.create(folder)
at <- function(name) file.path(folder, name)

# Landmarks as geomorph keeps them, p x k x n.
angle <- seq(0, 2 * pi, length.out = 13)[-13]
atlas <- cbind(2 * cos(angle), sin(angle))
specimens <- array(as.vector(atlas) + rnorm(12 * 2 * 200, sd = 0.05), c(12, 2, 200))
plan <- geomdp_plan(at("plan.json"), space = "planar-shapes:12", center = atlas, radius = 0.2,
                    n = 200, epsilon = 4)
stopifnot(inherits(plan, "geomdp_plan"), plan$n == 200, nchar(plan$hash) == 64)
print(plan)
release <- geomdp_release(at("plan.json"), specimens, at("mean"))
print(release)
stopifnot(length(release$value) %in% c(12, 24), rownames(release$results)[1] == "value")
png(at("mean.png")); plot(release, joined = TRUE); dev.off()
stopifnot(file.size(at("mean.png")) > 1000)
geomdp_verify(at("mean"))

# A frame with a record a row, and groups.
frame <- data.frame(x = rnorm(80, sd = 0.2), y = rnorm(80, sd = 0.2), arm = rep(c("a", "b"), 40))
geomdp_plan(at("groups.json"), space = "euclidean:2", center = c(0, 0), radius = 1,
            group = list(a = 40, b = 40), mu = 2)
groups <- geomdp_release(at("groups.json"), frame, at("means"), by = "arm")
stopifnot(identical(names(groups$parts), c("a", "b")))
stopifnot(max(abs(unlist(groups$results["a: value", ]) - groups$parts$a$value)) == 0)
png(at("groups.png")); plot(groups); dev.off()

# All digits travel: the same numbers from R and from a file written here.
stopifnot(as.numeric(geomdp:::.exact(1 / 3)) == 1 / 3)

# Refusals are the command's own sentences.
said <- tryCatch(geomdp_release(at("plan.json"), specimens[, , 1:3], at("other")), error = conditionMessage)
stopifnot(grepl("200", said), !file.exists(at("other")))
damaged <- tryCatch(geomdp_read_npy(at("plan.json")), error = conditionMessage)
stopifnot(grepl("no npy file", damaged))
writeBin(readBin(file.path(at("mean"), "value.npy"), "raw", 150), at("cut.npy"))
stopifnot(grepl("cut short", tryCatch(geomdp_read_npy(at("cut.npy")), error = conditionMessage)))
cat("all of R works\n")
