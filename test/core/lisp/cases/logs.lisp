;; Agents' everyday work: logs, events, measurements.

(count (filter #(includes? % " ERROR ") (split-lines data/log))) ;=> 3
(distinct (map second (re-seq #"Z (\w+) " data/log))) ;=> ["INFO" "WARN" "ERROR"]
(frequencies (map second (re-seq #"Z (\w+) " data/log))) ;=> {"ERROR" 3 "INFO" 2 "WARN" 1}
(sum (map #(parse-long (second %)) (re-seq #"took=(\d+)ms" data/log))) ;=> 1256
(defn parse-line [line]
  (let [[_ at level source text] (re-matches #"(\S+) (\w+) (\w+) (.*)" line)]
    {:at at :level level :source source :text text}))
(->> (split-lines data/log)
     (map parse-line)
     (filter (where :level = "ERROR"))
     (map (juxt :source :text)))
;=> [["api" "GET /orders 500 took=35ms"] ["db" "connection lost"] ["api" "GET /stock 502 took=9ms"]]
(->> (split-lines data/log)
     (map #(split % " "))
     (map (fn [[at level source]] [source level]))
     frequencies
     (sort-by (juxt (fn [[_ n]] (- n)) first))
     first)
;=> [["api" "ERROR"] 2]
(let [requests (for [[_ path code ms] (re-seq #"GET (\S+) (\d{3}) took=(\d+)ms" data/log)]
                 {:path path :code (parse-long code) :ms (parse-long ms)})]
  {:failed (count (filter (where :code >= 500) requests))
   :slowest (:path (max-by :ms requests))
   :avg (avg-by :ms requests)})
;=> {:avg 18.6666666667 :failed 2 :slowest "/orders"}
(let [slow (filter #(> (extract-int "took=(\\d+)ms" % 1 0) 100) (split-lines data/log))]
  (map #(subs % 0 20) slow))
;=> ["2031-03-01T08:00:05Z"]
(let [first-error (find #(includes? % "ERROR") (split-lines data/log))
      i (.indexOf first-error "ERROR")]
  (subs first-error (+ i 6)))
;=> "api GET /orders 500 took=35ms"
(let [ms (fn [line] (.getTime (java.util.Date. (first (split line " ")))))
      times (map ms (split-lines data/log))]
  (map (fn [[a b]] (quot (- b a) 1000)) (partition 2 1 times)))
;=> [5 55 2 88 1]
(let [minute (fn [line] (subs line 11 16))]
  (->> (split-lines data/log)
       (group-by minute)
       (map (fn [[m lines]] (str m " " (count lines))))))
;=> ["08:00 2" "08:01 2" "08:02 2"]
(let [lines (split-lines data/log)
      numbered (map-indexed (fn [i l] [(inc i) l]) lines)]
  (for [[n l] numbered :when (re-find #"5\d\d took" l)] n))
;=> [3 6]
(let [lines (split-lines data/log)
      at (first (filter #(includes? (nth lines %) "connection lost") (range (count lines))))
      context (take 3 (drop (dec at) lines))]
  (map #(second (split % " ")) context))
;=> ["INFO" "ERROR" "ERROR"]
(->> "a=1 b=22 c=x"
     (re-seq #"(\w)=(\d+)")
     (map (fn [[_ k v]] [k (parse-long v)]))
     (into {}))
;=> {"a" 1 "b" 22}
(let [mask (fn [line] (-> line
                          (replace #"\d+\.\d+\.\d+\.\d+" "<ip>")
                          (replace #"user=\w+" "user=<user>")))]
  (mask "login user=ada from 10.0.0.7"))
;=> "login user=<user> from <ip>"
(let [shape (fn [s] (replace s #"\d+" "N"))
      lines ["took 5 ms" "took 17 ms" "disk 90 full" "took 8 ms"]]
  (sort-by val > (frequencies (map shape lines))))
;=> [["took N ms" 3] ["disk N full" 1]]
(let [events [{:t 0 :up true} {:t 10 :up false} {:t 25 :up true} {:t 40 :up false}]
      spans (partition 2 1 events)]
  (sum (for [[a b] spans :when (:up a)] (- (:t b) (:t a)))))
;=> 25
(let [events [{:user "a" :t 1} {:user "b" :t 2} {:user "a" :t 9} {:user "a" :t 40}]
      sessions (fn [ts] (inc (count (filter (fn [[x y]] (> (- y x) 30)) (partition 2 1 ts)))))]
  (update-vals (group-by :user events) (fn [es] (sessions (map :t es)))))
;=> {"a" 2 "b" 1}
(let [values [10 11 9 10 42 10]
      mean (avg values)
      sd (sqrt (avg (map #(pow (- % mean) 2) values)))]
  (filter #(> (abs (- % mean)) (* 2 sd)) values))
;=> [42]
(let [window (fn [n xs] (map avg (partition n 1 xs)))]
  (window 3 [1 2 3 4 8]))
;=> [2.0 3.0 5.0]
(let [samples [3 3 3 5 5 3]
      runs (reduce (fn [acc x]
                     (let [[prev n] (last acc)]
                       (if (= prev x) (conj (butlast acc) [x (inc n)]) (conj acc [x 1]))))
                   []
                   samples)]
  runs)
;=> [[3 3] [5 2] [3 1]]
(let [up (fn [xs] (count (filter (fn [[a b]] (< a b)) (partition 2 1 xs))))]
  [(up [1 2 3]) (up [3 2 1]) (up [1])])
;=> [2 0 0]
(let [levels {"INFO" 0 "WARN" 1 "ERROR" 2}
      worst (fn [lines] (max-by #(get levels (second (split % " ")) -1) lines))]
  (second (split (worst (take 2 (split-lines data/log))) " ")))
;=> "WARN"
(let [trace "TypeError: x\n  at f (a.js:10:5)\n  at g (b.js:2:1)"
      frames (for [[_ f file line] (re-seq #"at (\w+) \((\S+?):(\d+):\d+\)" trace)] [f file (parse-long line)])]
  frames)
;=> [["f" "a.js" 10] ["g" "b.js" 2]]
(doseq [line (split-lines data/log)
        :let [[_ level source] (split line " ")]
        :when (= level "ERROR")]
  (println source))
;>> api
;>> db
;>> api
;=> nil
(let [versions ["1.10.0" "1.9.3" "1.2.11"]
      parts (fn [v] (map parse-long (split v ".")))]
  (sort-by parts versions))
;=> ["1.2.11" "1.9.3" "1.10.0"]
(let [kb (fn [s] (let [[_ n unit] (re-matches #"(\d+)([KMG])B" s)]
                   (* (parse-long n) ({"K" 1 "M" 1024 "G" 1048576} unit))))]
  (map kb ["5KB" "2MB" "1GB"]))
;=> [5 2048 1048576]
(let [url "https://shop.example:8443/a/b?x=1&y=two#top"
      [_ scheme host port path query] (re-find #"^(\w+)://([^:/]+):?(\d*)(/[^?#]*)\??([^#]*)" url)]
  {:scheme scheme :host host :port (parse-long port) :path path
   :query (into {} (map #(split % "=") (split query "&")))})
;=> {:host "shop.example" :path "/a/b" :port 8443 :query {"x" "1" "y" "two"} :scheme "https"}
